package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TokenTest {
  @Test
  void jsonIsTheTokenObjectOfTheContract() {
    var json =
        """
        {"access_token":"t","token_type":"Bearer","expires_at":1800000000,"cache_key":"k"}""";
    var token = Token.ofJson(json);
    assertEquals(new Token("t", "Bearer", Instant.ofEpochSecond(1800000000), "k"), token);
    assertEquals(token, Token.ofJson(token.toJson()));
  }

  @Test
  void textThatIsNoTokenIsNotShown() {
    var e = assertThrows(IllegalArgumentException.class, () -> Token.ofJson("s3cr3t"));
    assertEquals(-1, e.toString().indexOf("s3cr3t"));
  }
}

package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
  void stringThatIsNotATokenIsNotShown() {
    var e = assertThrows(IllegalArgumentException.class, () -> Token.ofJson("the-s3cr3t"));
    assertFalse(e.toString().contains("the-s3cr3t"));
  }
}

package demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.extism.sdk.chicory.http.ExtismJsonException;
import org.extism.sdk.chicory.http.HttpJsonCodec;

/** Reads a plugin's requests with Jackson; the SDK has no JSON library. */
public final class JacksonCodec implements HttpJsonCodec {
  private static final JsonMapper MAPPER = new JsonMapper();

  private record Request(String method, @JsonProperty("url") URI uri, Map<String, String> headers)
      implements RequestMetadata {}

  @Override
  public RequestMetadata decodeMetadata(byte[] data) {
    try {
      return MAPPER.readValue(data, Request.class);
    } catch (IOException e) {
      throw new ExtismJsonException(e);
    }
  }

  @Override
  public byte[] encodeHeaders(Map<String, List<String>> headers) {
    try {
      return MAPPER.writeValueAsBytes(headers);
    } catch (JsonProcessingException e) {
      throw new ExtismJsonException(e);
    }
  }
}

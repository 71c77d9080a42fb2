package rostering;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.extism.sdk.chicory.http.ExtismJsonException;
import org.extism.sdk.chicory.http.HttpJsonCodec;

/** Reads an Extism plugin's requests, and writes the headers of the answers, with Jackson. */
public final class JsonCodec implements HttpJsonCodec {
  private static final JsonMapper MAPPER = new JsonMapper();

  private record Request(String method, String url, Map<String, String> headers)
      implements RequestMetadata {
    Request {
      method = method == null ? "GET" : method;
      headers = headers == null ? Map.of() : headers;
    }

    @Override
    public URI uri() {
      try {
        return Uris.of(url);
      } catch (IllegalArgumentException e) {
        throw new ExtismHttpException(e);
      }
    }
  }

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

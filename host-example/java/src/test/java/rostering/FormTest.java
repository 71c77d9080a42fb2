package rostering;

import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that each form of a client must pass. */
@ParameterizedClass
@EnumSource
abstract class FormTest extends ServiceTest {
  @Parameter Form form;

  Rostering open() {
    return form.open(service.config().build());
  }
}

/**
 * A client for Automatic Rostering: open one with {@link
 * example.automaticrostering.RosteringClient#open}. What is not {@code Nullable} is never null, and
 * must not be.
 */
@NullMarked
package example.automaticrostering;

import org.jspecify.annotations.NullMarked;

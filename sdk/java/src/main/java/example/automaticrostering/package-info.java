/**
 * A client for Automatic Rostering: open one with {@link
 * example.automaticrostering.RosteringClient#open}. Everything not {@code Nullable} is non-null.
 */
@NullMarked
package example.automaticrostering;

import org.jspecify.annotations.NullMarked;

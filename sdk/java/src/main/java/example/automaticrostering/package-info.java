/**
 * A client of Automatic Rostering: open one with {@link example.automaticrostering.Rostering#open}.
 */
package example.automaticrostering;

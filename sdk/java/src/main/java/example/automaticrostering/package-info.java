/**
 * A client for Automatic Rostering: open one with {@link
 * example.automaticrostering.RosteringClient#open}.
 */
package example.automaticrostering;

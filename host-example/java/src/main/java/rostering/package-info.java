/**
 * Calls the Automatic Rostering plugin from Java. Open one {@link rostering.RosteringClient} and
 * share it; what goes wrong is a {@link rostering.RosteringException}.
 */
package rostering;

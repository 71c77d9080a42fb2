/**
 * Calls the Automatic Rostering plugin from Java. Open one {@link rostering.RosteringClient}, or
 * one {@link rostering.RosteringDriver}, and share it; what goes wrong is a {@link
 * rostering.RosteringException}.
 */
package rostering;

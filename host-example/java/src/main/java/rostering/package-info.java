/**
 * A client of Automatic Rostering: open a {@link rostering.Rostering}, and share it. What fails
 * throws a {@link rostering.RosteringException}.
 */
package rostering;

/** Checks of a machine and a configuration, with remedies for problems. */
@NullMarked
package petrichor.server.doctor;

import org.jspecify.annotations.NullMarked;

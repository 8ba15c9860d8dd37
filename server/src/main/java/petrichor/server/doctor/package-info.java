/** Checks of a machine and a configuration, which say what to change. */
@NullMarked
package petrichor.server.doctor;

import org.jspecify.annotations.NullMarked;

/** Tests of the command line. */
@NullMarked
package petrichor.cli;

import org.jspecify.annotations.NullMarked;

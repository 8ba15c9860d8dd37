/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.tuples;

import org.jspecify.annotations.NullMarked;

/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.serving;

import org.jspecify.annotations.NullMarked;

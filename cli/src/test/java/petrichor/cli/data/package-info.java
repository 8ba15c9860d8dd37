/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.data;

import org.jspecify.annotations.NullMarked;

/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.apps;

import org.jspecify.annotations.NullMarked;

/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.sql;

import org.jspecify.annotations.NullMarked;

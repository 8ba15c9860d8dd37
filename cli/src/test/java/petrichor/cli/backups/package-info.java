/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.backups;

import org.jspecify.annotations.NullMarked;

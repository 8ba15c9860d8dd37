/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.stores;

import org.jspecify.annotations.NullMarked;

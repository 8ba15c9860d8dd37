/** {@code petrichor store}: starts, shows and stops servers of datastores. */
@NullMarked
package petrichor.cli.stores;

import org.jspecify.annotations.NullMarked;

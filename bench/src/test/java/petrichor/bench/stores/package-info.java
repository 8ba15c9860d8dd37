@NullMarked
package petrichor.bench.stores;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.bench.apps;

import org.jspecify.annotations.NullMarked;

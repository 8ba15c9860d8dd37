@NullMarked
package petrichor.bench.cloud;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.bench.tuning;

import org.jspecify.annotations.NullMarked;

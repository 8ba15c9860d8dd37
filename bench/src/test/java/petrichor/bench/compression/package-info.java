@NullMarked
package petrichor.bench.compression;

import org.jspecify.annotations.NullMarked;

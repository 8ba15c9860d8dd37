@NullMarked
package petrichor.bench.jobs;

import org.jspecify.annotations.NullMarked;

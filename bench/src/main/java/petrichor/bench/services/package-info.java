/** Benchmarks of App Engine's services. */
@NullMarked
package petrichor.bench.services;

import org.jspecify.annotations.NullMarked;

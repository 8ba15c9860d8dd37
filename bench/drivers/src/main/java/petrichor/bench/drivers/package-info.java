/**
 * Single rows through the bare drivers of datastores, for benchmarks that compare Petrichor with
 * them. The implementations are in {@code petrichor.bench.drivers.stores}: a class loader that sees
 * a plugin's driver loads them, and the program knows only the interfaces of this package.
 */
@NullMarked
package petrichor.bench.drivers;

import org.jspecify.annotations.NullMarked;

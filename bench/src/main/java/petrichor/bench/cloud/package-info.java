/**
 * The cost of machines: the accuracy of predicted spot lifetimes ({@link
 * petrichor.bench.cloud.SpotCommand}), and chapter 3 of the Nephele thesis in a simulated cloud
 * ({@link petrichor.bench.cloud.NepheleCommand}).
 */
@NullMarked
package petrichor.bench.cloud;

import org.jspecify.annotations.NullMarked;

/** Tells the author of a {@link petrichor.cloud.Cloud} when it is done. */
@NullMarked
package petrichor.cloud.testkit;

import org.jspecify.annotations.NullMarked;

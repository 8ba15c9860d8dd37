@NullMarked
package petrichor.cloud.simulated;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.placement.partition;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.placement.curve;

import org.jspecify.annotations.NullMarked;

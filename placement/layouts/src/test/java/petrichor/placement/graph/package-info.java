@NullMarked
package petrichor.placement.graph;

import org.jspecify.annotations.NullMarked;

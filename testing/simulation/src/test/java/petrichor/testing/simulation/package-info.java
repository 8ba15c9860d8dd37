@NullMarked
package petrichor.testing.simulation;

import org.jspecify.annotations.NullMarked;

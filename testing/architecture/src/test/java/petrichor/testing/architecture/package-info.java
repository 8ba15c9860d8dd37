@NullMarked
package petrichor.testing.architecture;

import org.jspecify.annotations.NullMarked;

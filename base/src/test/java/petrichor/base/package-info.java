@NullMarked
package petrichor.base;

import org.jspecify.annotations.NullMarked;

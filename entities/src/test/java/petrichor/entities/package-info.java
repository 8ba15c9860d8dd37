@NullMarked
package petrichor.entities;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.entities.query;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.frontends.postgres;

import org.jspecify.annotations.NullMarked;

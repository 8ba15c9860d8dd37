@NullMarked
package petrichor.frontends.access;

import org.jspecify.annotations.NullMarked;

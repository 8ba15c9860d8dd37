@NullMarked
package petrichor.frontends.appengine.images;

import org.jspecify.annotations.NullMarked;

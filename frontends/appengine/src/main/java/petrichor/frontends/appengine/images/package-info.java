/**
 * The API {@code images} of App Engine: {@code Transform}, {@code Composite}, {@code Histogram},
 * {@code GetUrlBase} and {@code DeleteUrlBase}.
 */
@NullMarked
package petrichor.frontends.appengine.images;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.frontends.appengine.datastore;

import org.jspecify.annotations.NullMarked;

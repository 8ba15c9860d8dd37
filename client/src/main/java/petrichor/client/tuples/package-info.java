/**
 * Collections of tuples as a Java program calls them: {@link petrichor.client.tuples.TuplesClient}
 * connects to a server, and {@link petrichor.client.tuples.CollectionClient} reads and writes one
 * collection.
 */
@NullMarked
package petrichor.client.tuples;

import org.jspecify.annotations.NullMarked;

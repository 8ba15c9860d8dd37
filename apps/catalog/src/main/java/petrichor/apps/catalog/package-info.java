/**
 * What is deployed: apps, their services and versions, and how traffic is split. One row per app in
 * the system database, so that each change is one atomic write; {@link
 * petrichor.apps.catalog.AppCatalog} reads and changes it. The names and rules are App Engine's.
 */
@NullMarked
package petrichor.apps.catalog;

import org.jspecify.annotations.NullMarked;

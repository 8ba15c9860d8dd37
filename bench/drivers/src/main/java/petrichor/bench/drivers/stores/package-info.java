/**
 * One class per driver, written as the driver's documentation shows: of Petrichor's classes they
 * use only the address of a store.
 */
@NullMarked
package petrichor.bench.drivers.stores;

import org.jspecify.annotations.NullMarked;

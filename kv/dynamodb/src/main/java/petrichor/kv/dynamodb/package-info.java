/**
 * DynamoDB as a store: one DynamoDB table for each table, all of its rows under one partition key
 * and ordered by the sort key. {@link petrichor.kv.dynamodb.StoredItem} says how a row is stored.
 */
@NullMarked
package petrichor.kv.dynamodb;

import org.jspecify.annotations.NullMarked;

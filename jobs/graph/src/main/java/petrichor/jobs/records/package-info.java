/**
 * What flows through a job: records of typed fields in one binary form that is the same in memory,
 * in channels and in spill files, so that moving a record is copying bytes and comparing two needs
 * no object.
 *
 * <p>Begin with {@link petrichor.jobs.records.RecordType} (which fields there are), {@link
 * petrichor.jobs.records.RecordView} (a view that is moved from one record to the next instead of
 * being allocated) and {@link petrichor.jobs.records.RecordBuilder} (which writes one). {@link
 * petrichor.jobs.records.Key} names the fields by which records are grouped, joined or sorted;
 * {@link petrichor.jobs.records.KeyOrder}, {@link petrichor.jobs.records.KeyPrefix} and {@link
 * petrichor.jobs.records.KeyHash} are a key bound to a type. What users write are lambdas for
 * {@link petrichor.jobs.records.MapCode}, {@link petrichor.jobs.records.ReduceCode}, {@link
 * petrichor.jobs.records.JoinCode} and {@link petrichor.jobs.records.CoGroupCode}; {@link
 * petrichor.jobs.records.Aggregation} is for what needs no code at all.
 *
 * <p>Nothing here is shared between threads except the immutable descriptions (types, keys,
 * aggregations): a view, a builder, a bound key belongs to one task.
 */
@NullMarked
package petrichor.jobs.records;

import org.jspecify.annotations.NullMarked;

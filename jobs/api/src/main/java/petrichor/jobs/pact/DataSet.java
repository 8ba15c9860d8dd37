package petrichor.jobs.pact;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/**
 * The output of a contract, to which further contracts are applied. Annotations ({@link #sameKey},
 * {@link #records}, …) return the same data set. Belongs to one thread.
 */
public final class DataSet {
    private final Plan plan;
    private final PactNode node;

    DataSet(Plan plan, PactNode node) {
        this.plan = plan;
        this.node = node;
    }

    // ---- contracts

    /** Calls the code with each record by itself. */
    public DataSet map(String name, RecordType type, MapCode code) {
        return plan.add(name, new Contract.Map(code, false), List.of(this), type, Promises.NONE);
    }

    /**
     * Keeps some of the records.
     *
     * @param reads names of the fields that the predicate reads, which lets the compiler move the
     *     filter to where it saves most. Empty: it may read all of them
     */
    public DataSet filter(String name, FilterCode code, String... reads) {
        MapCode map =
                (in, out) -> {
                    if (code.keeps(in)) {
                        out.emit(in);
                    }
                };
        return passing(name, map, reads);
    }

    /**
     * A filter that decides on many records at once: code that emits some of its input records,
     * unchanged and in order, perhaps during a later call. The compiler may move it to records that
     * have other fields besides those it reads: it must emit them as they came.
     */
    public DataSet passing(String name, MapCode code, String... reads) {
        var promises = allConstant().withAtMostOne();
        if (reads.length > 0) {
            promises = promises.reading(Set.copyOf(positions(reads)));
        }
        return plan.add(name, new Contract.Map(code, true), List.of(this), type(), promises);
    }

    /** Keeps these fields only, in this order. */
    public DataSet project(String... fields) {
        var from = positions(fields);
        int[] positions = from.stream().mapToInt(Integer::intValue).toArray();
        var type = RecordType.of(from.stream().map(field -> type().fields().get(field)).toList());
        var promises = Promises.NONE.withAtMostOne();
        for (int to = 0; to < positions.length; to++) {
            promises = promises.with(new Constant(0, positions[to], to));
        }
        MapCode code =
                (in, out) -> {
                    var record = out.record();
                    for (int to = 0; to < positions.length; to++) {
                        record.copy(to, in, positions[to]);
                    }
                    record.emit();
                };
        var name = "project " + String.join(", ", fields);
        return plan.add(name, new Contract.Map(code, false), List.of(this), type, promises);
    }

    /** Groups records by equal values in these fields. */
    public Grouping groupBy(String... fields) {
        return groupBy(key("groupBy", fields));
    }

    public Grouping groupBy(Key key) {
        key.check(type());
        return new Grouping(this, key);
    }

    /** Aggregates over all records. */
    public DataSet aggregate(Aggregate... aggregates) {
        return Grouping.aggregates(this, List.of(), aggregates);
    }

    /** Pairs records with equal keys: this data set is the first input. */
    public Pairing match(DataSet other, Key first, Key second) {
        return new Pairing(this, other, first, second);
    }

    /** Pairs records with equal values in one field. */
    public Pairing match(DataSet other, String first, String second) {
        return match(other, key("match", first), other.key("match", second));
    }

    /** Pairs every record with every record of the other data set. */
    public DataSet cross(DataSet other, String name, RecordType type, JoinCode code) {
        return plan.add(name, new Contract.Cross(code), List.of(this, other), type, Promises.NONE);
    }

    /** The records of several data sets of the same type. */
    public DataSet union(DataSet... others) {
        var all = new ArrayList<DataSet>(others.length + 1);
        all.add(this);
        for (var other : others) {
            if (!other.type().equals(type())) {
                throw PetrichorException.invalid(
                        "a union of {type} and {otherType} is not possible: map one to the type of"
                                + " the other",
                        "type",
                        type(),
                        "otherType",
                        other.type());
            }
            all.add(other);
        }
        var promises = Promises.NONE.withAtMostOne();
        for (int input = 0; input < all.size(); input++) {
            for (int field = 0; field < type().size(); field++) {
                promises = promises.with(new Constant(input, field, field));
            }
        }
        return plan.add("union", new Contract.Union(all.size()), all, type(), promises);
    }

    /** Sorts all records by a key, across all subtasks. */
    public DataSet sortBy(Key key) {
        key.check(type());
        return plan.add(
                "sort by " + names(key),
                new Contract.Ordered(key),
                List.of(this),
                type(),
                allConstant().withAtMostOne());
    }

    /** The first records: of a sorted data set in its order, of any other in any order. */
    public DataSet first(long records) {
        if (records < 0) {
            throw PetrichorException.invalid(
                    "the first {records} records: the number must be 0 or more",
                    "records",
                    records);
        }
        return plan.add(
                "first " + records,
                new Contract.First(records, null),
                List.of(this),
                type(),
                allConstant().withAtMostOne());
    }

    /** Ends the plan here. */
    public void write(Sink sink) {
        sink.check(type());
        plan.add(sink.name(), new Contract.Output(sink), List.of(this), type(), Promises.NONE);
    }

    // ---- promises

    /**
     * Promises that these fields are passed on unchanged, in the same positions, from the only or
     * first input.
     */
    public DataSet constant(String... fields) {
        return constant(Side.FIRST, fields);
    }

    /**
     * Promises that these fields (named as in the input) are passed on unchanged, in the same
     * positions.
     */
    public DataSet constant(Side side, String... fields) {
        for (String field : fields) {
            int position = inputType(side).position(field);
            moved(side, position, position);
        }
        return this;
    }

    /**
     * Promises that a field of the input is passed on unchanged in a (perhaps different) position
     * of the output.
     */
    public DataSet moved(Side side, int from, int to) {
        var input = inputType(side);
        if (from >= input.size() || to >= type().size() || input.type(from) != type().type(to)) {
            throw PetrichorException.invalid(
                    "field {from} of {input} cannot be field {to} of {type} unchanged, as promised"
                            + " for \"{name}\"",
                    "from",
                    from,
                    "input",
                    input,
                    "to",
                    to,
                    "type",
                    type(),
                    "name",
                    name());
        }
        node.promises(node.promises().with(new Constant(side.input(), from, to)));
        return this;
    }

    /**
     * Promises Same-Key: the fields of the contract's key are passed on unchanged, in the same
     * positions.
     */
    public DataSet sameKey() {
        return sameKey(Side.FIRST);
    }

    /** Promises Same-Key with regard to one input of a Match or CoGroup. */
    public DataSet sameKey(Side side) {
        for (int field : contractKey(side).fields()) {
            moved(side, field, field);
        }
        return this;
    }

    /**
     * Promises Super-Key: the fields of the contract's key are passed on unchanged, and a later
     * contract groups by them and more.
     */
    public DataSet superKey() {
        return sameKey(Side.FIRST);
    }

    /** Promises Super-Key with regard to one input of a Match or CoGroup. */
    public DataSet superKey(Side side) {
        return sameKey(side);
    }

    /** Promises Unique-Key: no two emitted records agree in all of these fields. */
    public DataSet uniqueKey(String... fields) {
        node.promises(node.promises().withUnique(Set.copyOf(positions(fields))));
        return this;
    }

    /**
     * Promises that at most one record is emitted for each record, group or pair: uniqueness is
     * preserved.
     */
    public DataSet emitsAtMostOne() {
        node.promises(node.promises().withAtMostOne());
        return this;
    }

    // ---- hints

    /** Hint: the number of records. */
    public DataSet records(double number) {
        node.hints(node.hints().withRecords(number));
        return this;
    }

    public DataSet bytesPerRecord(double bytes) {
        node.hints(node.hints().withBytesPerRecord(bytes));
        return this;
    }

    /**
     * Hint: the average number of records emitted by a call of the user code; for a filter: its
     * selectivity.
     */
    public DataSet recordsPerCall(double number) {
        node.hints(node.hints().withRecordsPerCall(number));
        return this;
    }

    /** Hint: the number of distinct values of these fields. */
    public DataSet distinct(double number, String... fields) {
        node.hints(node.hints().withDistinct(Set.copyOf(positions(fields)), number));
        return this;
    }

    // ---- execution

    public DataSet named(String name) {
        node.name(name);
        return this;
    }

    /** Sets the number of subtasks of the contract that emits this. */
    public DataSet parallelism(int subtasks) {
        node.parallelism(Annotations.parallel(subtasks).parallelism());
        return this;
    }

    /**
     * Sets the machine type of the contract that emits this, where machines are leased; contracts
     * that read this use it too, unless they set another one. Without leased machines it has no
     * effect.
     */
    public DataSet onMachines(String kind) {
        if (!kind.matches("[A-Za-z0-9._-]{1,60}")) {
            throw PetrichorException.invalid(
                    "'{kind}' is not an instance type: use letters, digits, '.', '_' and '-'",
                    "kind",
                    kind);
        }
        node.machines(kind);
        return this;
    }

    public RecordType type() {
        return node.type();
    }

    public String name() {
        return node.name();
    }

    public Plan plan() {
        return plan;
    }

    public PactNode node() {
        return node;
    }

    // ---- fields and keys

    /** A key of fields of this data set, ascending. */
    Key key(String what, String... fields) {
        if (fields.length == 0) {
            throw PetrichorException.invalid(
                    "{contract} on \"{name}\" has no key: name at least one of its fields {type}",
                    "contract",
                    what,
                    "name",
                    name(),
                    "type",
                    type());
        }
        return Key.of(positions(fields).stream().mapToInt(Integer::intValue).toArray());
    }

    private List<Integer> positions(String... fields) {
        return Arrays.stream(fields).map(this::position).toList();
    }

    private int position(String field) {
        if (type().fields().stream().noneMatch(f -> f.name().equals(field))) {
            throw PetrichorException.invalid(
                    "\"{name}\" has no field \"{field}\"; its fields are {fields}",
                    "name",
                    name(),
                    "field",
                    field,
                    "fields",
                    type().fields().stream().map(Field::name).collect(Collectors.joining(", ")));
        }
        return type().position(field);
    }

    private String names(Key key) {
        return key.parts().stream()
                .map(part -> type().name(part.field()))
                .collect(Collectors.joining(", "));
    }

    private RecordType inputType(Side side) {
        if (side.input() >= node.inputs().size()) {
            throw PetrichorException.invalid(
                    "{node} has no {side} input for a promise",
                    "node",
                    node,
                    "side",
                    (side == Side.FIRST ? "first" : "second"));
        }
        return node.inputs().get(side.input()).type();
    }

    private Key contractKey(Side side) {
        var first = side == Side.FIRST;
        return switch (node.contract()) {
            case Contract.Reduce reduce when first -> reduce.key();
            case Contract.Match match -> first ? match.first() : match.second();
            case Contract.CoGroup group -> first ? group.first() : group.second();
            case Contract.Reduce _,
                    Contract.Input _,
                    Contract.Kept _,
                    Contract.Map _,
                    Contract.Aggregated _,
                    Contract.Cross _,
                    Contract.Union _,
                    Contract.Ordered _,
                    Contract.First _,
                    Contract.Output _ ->
                    throw PetrichorException.invalid(
                            "{node} has no key there: name the constant fields with constant(…)",
                            "node",
                            node);
        };
    }

    private Promises allConstant() {
        return Promises.allConstant(type().size());
    }
}

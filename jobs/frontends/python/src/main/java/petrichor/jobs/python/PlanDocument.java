package petrichor.jobs.python;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.PetrichorException;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Iteration;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;

/**
 * Builds a plan from a document: a JSON object with a list of nodes, each of which is a contract
 * over earlier nodes. The format is described in docs/jobs/python.md. Used once, by one thread.
 */
final class PlanDocument {
    /** Incremented with every incompatible change. */
    static final int VERSION = 1;

    private static final String FORMAT = "petrichor-plan";

    private final Plan plan;
    private final Interpreter interpreter;
    private final String program;
    private final List<DataSet> sets = new ArrayList<>();
    private final Map<Integer, Iteration> iterations = new TreeMap<>();

    private PlanDocument(Plan plan, Interpreter interpreter, String program) {
        this.plan = plan;
        this.interpreter = interpreter;
        this.program = program;
    }

    static Plan plan(String json) {
        var document = new DocumentPart(parsed(json), "the plan's document");
        if (!document.has("format") || !document.text("format").equals(FORMAT)) {
            throw document.wrong("its \"format\" is not \"" + FORMAT + "\"");
        }
        if (document.whole("version") != VERSION) {
            throw document.wrong(
                    "it has version "
                            + document.whole("version")
                            + ", and this build reads version "
                            + VERSION
                            + ": use the front end of the same release");
        }
        var python = document.part("python");
        var plan = Plan.named(document.text("name")).parallelism(document.whole("parallelism"));
        var reading =
                new PlanDocument(
                        plan,
                        new Interpreter(python.text("executable"), python.text("packages")),
                        python.part("program").json().toString());
        var nodes = document.parts("nodes");
        for (int number = 0; number < nodes.size(); number++) {
            reading.add(number, nodes.get(number).json());
        }
        return plan;
    }

    private static JsonObject parsed(String json) {
        try {
            return JsonParser.parseString(json).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw PetrichorException.invalid(
                    "the plan's document is not a JSON object: {reason}", "reason", e);
        }
    }

    private void add(int number, JsonObject json) {
        var node = new DocumentPart(json, "node " + number + " of the plan's document");
        String contract = node.text("contract");
        if (contract.equals("write")) {
            input(node, 0).write(FormatParts.sink(node));
            // A sink has no consumers; its entry keeps the numbers of the other nodes right.
            sets.add(input(node, 0));
            return;
        }
        var set =
                switch (contract) {
                    case "read" -> plan.read(FormatParts.source(node));
                    case "map" -> map(node, input(node, 0));
                    case "filter" -> filter(node, input(node, 0));
                    case "project" -> project(node, input(node, 0));
                    case "reduce" -> reduce(node, input(node, 0));
                    case "aggregate" -> aggregate(node, input(node, 0));
                    case "match", "co_group" -> pair(node, input(node, 0), input(node, 1));
                    case "cross" -> cross(node, input(node, 0), input(node, 1));
                    case "union" -> union(node);
                    case "sort" -> input(node, 0).sortBy(key(node, input(node, 0)));
                    case "first" -> input(node, 0).first(node.wholeLong("records"));
                    case "iterate" -> iterate(number, node);
                    case "close" -> close(node);
                    case String other -> throw node.wrong("there is no contract \"" + other + "\"");
                };
        NodeOptions.apply(node, set);
        sets.add(set);
    }

    // ---- contracts

    private DataSet map(DocumentPart node, DataSet from) {
        var type = node.type("type");
        var function = new PythonFunction(code(node), type, from.type());
        return from.map(node.text("name"), type, function);
    }

    private DataSet filter(DocumentPart node, DataSet from) {
        var reads = node.texts("reads");
        var type = from.type();
        int[] positions =
                reads.isEmpty() ? all(type) : reads.stream().mapToInt(type::position).toArray();
        var code = new PythonFilter(code(node), part(type, positions), positions);
        return from.passing(node.text("name"), code, reads.toArray(String[]::new));
    }

    /** Selects fields, optionally under new names. */
    private static DataSet project(DocumentPart node, DataSet from) {
        var fields = node.parts("fields");
        int[] positions =
                fields.stream().mapToInt(one -> from.type().position(one.text("field"))).toArray();
        return Renaming.of(
                from, positions, fields.stream().map(one -> one.text("as")).toList(), node);
    }

    private DataSet reduce(DocumentPart node, DataSet from) {
        var key = Key.of(positions(from, node.texts("key")));
        var keys = List.of(list(key));
        var grouping = from.groupBy(key);
        if (node.has("combiner")) {
            var combiner = code(node.part("combiner"), node.text("name") + " (combiner)", keys);
            grouping = grouping.combinedBy(new PythonFunction(combiner, from.type(), from.type()));
        }
        var type = node.type("type");
        var code = code(node, node.text("name"), keys);
        return grouping.reduce(
                node.text("name"), type, new PythonFunction(code, type, from.type()));
    }

    private static DataSet aggregate(DocumentPart node, DataSet from) {
        var aggregates =
                node.parts("aggregates").stream()
                        .map(one -> function(one, from))
                        .toArray(Aggregate[]::new);
        var key = node.texts("key");
        var set =
                key.isEmpty()
                        ? from.aggregate(aggregates)
                        : from.groupBy(key.toArray(String[]::new)).aggregate(aggregates);
        var names = new ArrayList<>(key);
        node.parts("aggregates").forEach(one -> names.add(one.text("as")));
        return aggregates.length == 0 ? set : Renaming.of(set, all(set.type()), names, node);
    }

    private static Aggregate function(DocumentPart one, DataSet from) {
        String kind = one.text("function");
        if (kind.equals("count")) {
            return Aggregate.count();
        }
        int field = from.type().position(one.text("field"));
        return switch (kind) {
            case "sum" -> Aggregate.sum(field);
            case "min" -> Aggregate.min(field);
            case "max" -> Aggregate.max(field);
            case "average" -> Aggregate.average(field);
            case String other -> throw one.wrong("there is no aggregate \"" + other + "\"");
        };
    }

    private DataSet pair(DocumentPart node, DataSet left, DataSet right) {
        var first = Key.of(positions(left, node.texts("left_key")));
        var second = Key.of(positions(right, node.texts("right_key")));
        var type = node.type("type");
        String name = node.text("name");
        var code = code(node, name, List.of(list(first), list(second)));
        var function = new PythonFunction(code, type, left.type(), right.type());
        var pairing = left.match(right, first, second);
        return node.text("contract").equals("match")
                ? pairing.with(name, type, function)
                : pairing.groups(name, type, function);
    }

    private DataSet cross(DocumentPart node, DataSet left, DataSet right) {
        var type = node.type("type");
        var function = new PythonFunction(code(node), type, left.type(), right.type());
        return left.cross(right, node.text("name"), type, function);
    }

    private DataSet union(DocumentPart node) {
        var inputs = new ArrayList<DataSet>();
        for (int i = 0; i < node.wholes("inputs").size(); i++) {
            inputs.add(input(node, i));
        }
        return inputs.getFirst().union(inputs.subList(1, inputs.size()).toArray(DataSet[]::new));
    }

    private static Key key(DocumentPart node, DataSet from) {
        return new Key(
                node.parts("key").stream()
                        .map(
                                one ->
                                        new Key.Part(
                                                from.type().position(one.text("field")),
                                                one.yes("descending")
                                                        ? Order.DESCENDING
                                                        : Order.ASCENDING))
                        .toList());
    }

    private DataSet iterate(int number, DocumentPart node) {
        var iteration = plan.iterate(input(node, 0), node.whole("rounds"));
        iterations.put(number, iteration);
        return iteration.current();
    }

    private DataSet close(DocumentPart node) {
        var iteration = iterations.get(node.whole("iteration"));
        if (iteration == null) {
            throw node.wrong("node " + node.whole("iteration") + " does not start an iteration");
        }
        return node.wholes("inputs").size() > 1
                ? iteration.closeWhile(input(node, 0), input(node, 1))
                : iteration.close(input(node, 0));
    }

    // ---- parts

    private DataSet input(DocumentPart node, int which) {
        var inputs = node.wholes("inputs");
        if (which >= inputs.size()) {
            throw node.wrong("it has too few inputs: " + inputs.size());
        }
        int number = inputs.get(which);
        if (number < 0 || number >= sets.size()) {
            throw node.wrong("there is no node " + number + " before it");
        }
        return sets.get(number);
    }

    private PythonCode code(DocumentPart node) {
        return code(node, node.text("name"), List.of());
    }

    private PythonCode code(DocumentPart function, String step, List<List<Integer>> key) {
        return new PythonCode(
                step, function.text("shape"), function.text("function"), program, interpreter, key);
    }

    private static int[] positions(DataSet set, List<String> fields) {
        return fields.stream().mapToInt(set.type()::position).toArray();
    }

    private static List<Integer> list(Key key) {
        return key.parts().stream().map(Key.Part::field).toList();
    }

    private static int[] all(RecordType type) {
        int[] positions = new int[type.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = i;
        }
        return positions;
    }

    private static RecordType part(RecordType type, int... positions) {
        var fields = new ArrayList<Field>();
        for (int position : positions) {
            fields.add(type.fields().get(position));
        }
        return RecordType.of(fields);
    }
}

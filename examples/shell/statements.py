"""The part of Python that visitors may execute: assignments and expressions of numbers and texts, without functions."""

import ast
import operator

SOURCE_LENGTH_MAX = 2_000
TEXT_LENGTH_MAX = 10_000
INTEGER_BITS_MAX = 4_096

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TEXT_OPERATORS = (ast.Add, ast.Not, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Refused(Exception):
    """The statements are not executed; the message says why."""


def run(source, variables):
    """Executes statements, which change the variables; returns the values of expressions as Python's shell shows them."""
    if len(source) > SOURCE_LENGTH_MAX:
        raise Refused(f"the statements are longer than {SOURCE_LENGTH_MAX} characters")
    try:
        shown = [_executed(statement, variables) for statement in ast.parse(source).body]
    except SyntaxError as error:
        raise Refused(f"SyntaxError: {error.msg}") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
    except (MemoryError, RecursionError) as error:
        raise Refused("the statements are nested too deeply") from error
    return [repr(value) for value in shown if value is not None]


def _executed(statement, variables):
    match statement:
        case ast.Expr(value=expression):
            return _value(expression, variables)
        case ast.Assign(targets=[ast.Name(id=name)], value=expression):
            variables[name] = _value(expression, variables)
        case ast.AugAssign(target=ast.Name() as name, op=kind, value=expression):
            variables[name.id] = _applied(kind, _value(name, variables), _value(expression, variables))
        case ast.Delete(targets=[ast.Name(id=name)]):
            _ = _value(ast.Name(id=name), variables)
            del variables[name]
        case _:
            raise Refused(f"{type(statement).__name__} is not available in this shell")
    return None


def _value(expression, variables):
    match expression:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return _bounded(value)
        case ast.Name(id=name):
            if name not in variables:
                raise Refused(f"NameError: name '{name}' is not defined")
            return variables[name]
        case ast.UnaryOp(op=kind, operand=operand):
            return _applied(kind, _value(operand, variables))
        case ast.BinOp(left=left, op=kind, right=right):
            return _applied(kind, _value(left, variables), _value(right, variables))
        case ast.Compare(left=left, ops=[kind], comparators=[right]):
            return _applied(kind, _value(left, variables), _value(right, variables))
        case _:
            raise Refused(f"{type(expression).__name__} is not available in this shell")


def _applied(kind, *operands):
    texts = any(isinstance(operand, str) for operand in operands)
    if type(kind) not in _OPERATORS or (texts and not isinstance(kind, _TEXT_OPERATORS)):
        raise Refused(f"{type(kind).__name__} is not available in this shell")
    if isinstance(kind, ast.Pow) and all(isinstance(operand, int) for operand in operands):
        base, exponent = operands
        if base.bit_length() * exponent > INTEGER_BITS_MAX:
            raise Refused(f"the result has more than {INTEGER_BITS_MAX} bits")
    return _bounded(_OPERATORS[type(kind)](*operands))


def _bounded(value):
    if isinstance(value, complex):
        raise Refused("complex numbers are not available in this shell")
    if isinstance(value, int) and value.bit_length() > INTEGER_BITS_MAX:
        raise Refused(f"the result has more than {INTEGER_BITS_MAX} bits")
    if isinstance(value, str) and len(value) > TEXT_LENGTH_MAX:
        raise Refused(f"the text is longer than {TEXT_LENGTH_MAX} characters")
    return value

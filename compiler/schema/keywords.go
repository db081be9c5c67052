package schema

// Form is what kind of value a keyword holds.
type Form int

// The forms. A value of another form than its keyword's holds no schema.
const (
	Other        Form = iota // no schema, and compared as it is; the form of every keyword that is not known
	One                      // a schema
	List                     // a list of schemas
	Named                    // an object of schemas, whose names are no keywords
	OneOrList                // a schema, or a list of them: items up to 2019-09
	NamedOrNames             // an object of schemas and lists of names: dependencies
	Set                      // a list whose order and repetition mean nothing
	Choices                  // enum: data, a set to a machine and an ordered list to a reader
	Data                     // whatever a value may be: nothing in it is a schema or a keyword
)

// Schemas reports a form that has schemas in it.
func (f Form) Schemas() bool { return f >= One && f <= NamedOrNames }

// ByName reports a form in which schemas stand under names that are no keywords.
func (f Form) ByName() bool { return f == Named || f == NamedOrNames }

// Data reports a form in which nothing is a schema, whatever it looks like.
func (f Form) Data() bool { return f == Choices || f == Data }

// Speech is what the texts in a keyword's value are, beside those of schemas in it.
type Speech int

// The kinds of speech.
const (
	Words  Speech = iota // words that a model is given; of every keyword that is not known
	Prose                // words for readers, and nothing else
	Syntax               // of the schema itself, from a vocabulary or an address: nobody's words
	Names                // syntax in which any text may stand: required, format
	Regexp               // a regular expression
)

// Keyword is what JSON Schema says of a keyword, over drafts 4 to 2020-12.
type Keyword struct {
	Form   Form
	Role   Role // of the schemas in it; in a list under items they are tuple items
	Note   bool // an annotation: for readers, and nothing for a validator
	Speech Speech

	from, to Draft // in which it has schemas or references; zero is no bound
}

// Lookup returns what a keyword is. One that is not known is the zero Keyword.
func Lookup(name string) Keyword { return keywords[name] }

// In reports whether the keyword has its schemas, or is a reference, in the draft; the zero Draft stands for any. The metaschema of 2020-12 still
// describes `definitions` and `dependencies`, so they have no end.
func (k Keyword) In(d Draft) bool { return d == 0 || d >= k.from && (k.to == 0 || d <= k.to) }

// keywords is the one table of what each keyword holds (JSON Schema core and validation, drafts 4, 6, 7, 2019-09 and 2020-12; `example` is
// OpenAPI's).
var keywords = map[string]Keyword{
	"properties":            {Form: Named, Role: Property},
	"patternProperties":     {Form: Named, Role: PatternProperty},
	"additionalProperties":  {Form: One, Role: AdditionalProperty},
	"unevaluatedProperties": {Form: One, Role: AdditionalProperty, from: Draft2019},
	"propertyNames":         {Form: One, Role: PropertyName, from: Draft6},
	"items":                 {Form: OneOrList, Role: Item},
	"prefixItems":           {Form: List, Role: TupleItem, from: Draft2020},
	"additionalItems":       {Form: One, Role: AdditionalItem, to: Draft2019},
	"unevaluatedItems":      {Form: One, Role: AdditionalItem, from: Draft2019},
	"contains":              {Form: One, Role: ContainedItem, from: Draft6},
	"allOf":                 {Form: List, Role: AllOf},
	"anyOf":                 {Form: List, Role: AnyOf},
	"oneOf":                 {Form: List, Role: OneOf},
	"not":                   {Form: One, Role: Not},
	"if":                    {Form: One, Role: Condition, from: Draft7},
	"then":                  {Form: One, Role: Condition, from: Draft7},
	"else":                  {Form: One, Role: Condition, from: Draft7},
	"dependentSchemas":      {Form: Named, Role: Dependent, from: Draft2019},
	"dependencies":          {Form: NamedOrNames, Role: Dependent},
	"contentSchema":         {Form: One, Role: Content, from: Draft2019},
	"$defs":                 {Form: Named, Role: Definition, from: Draft2019},
	"definitions":           {Form: Named, Role: Definition},

	"$ref":           {Speech: Syntax},
	"$dynamicRef":    {Speech: Syntax, from: Draft2020},
	"$recursiveRef":  {Speech: Syntax, from: Draft2019, to: Draft2019},
	"$anchor":        {Speech: Syntax},
	"$dynamicAnchor": {Speech: Syntax},
	"$id":            {Speech: Syntax},
	"id":             {Speech: Syntax},
	"$schema":        {Speech: Syntax},
	"$vocabulary":    {Speech: Syntax},

	"type":              {Form: Set, Speech: Syntax},
	"required":          {Form: Set, Speech: Names},
	"dependentRequired": {Speech: Names},
	"format":            {Speech: Names},
	"contentEncoding":   {Speech: Names},
	"contentMediaType":  {Speech: Names},
	"pattern":           {Speech: Regexp},

	"enum":     {Form: Choices},
	"const":    {Form: Data},
	"default":  {Form: Data},
	"example":  {Form: Data},
	"examples": {Form: Data, Note: true},

	"description": {Note: true, Speech: Prose},
	"title":       {Note: true, Speech: Prose},
	"$comment":    {Note: true, Speech: Prose},
	"deprecated":  {Note: true},
	"readOnly":    {Note: true},
	"writeOnly":   {Note: true},
}

// neutral lists keyword values that say the same as leaving the keyword out.
var neutral = map[string][]string{
	"additionalItems":       {"true", "{}"},
	"additionalProperties":  {"true", "{}"},
	"items":                 {"true", "{}"},
	"minItems":              {"0"},
	"minLength":             {"0"},
	"minProperties":         {"0"},
	"patternProperties":     {"{}"},
	"properties":            {"{}"},
	"propertyNames":         {"true", "{}"},
	"required":              {"[]"},
	"unevaluatedItems":      {"true", "{}"},
	"unevaluatedProperties": {"true", "{}"},
	"uniqueItems":           {"false"},
}

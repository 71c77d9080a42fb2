;; A plugin with another contract.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "\00\00\00\00\00\00\00\00\0e\00\00\00\00\00\00\00{\"contract\":3}")
  (data (i32.const 64) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (func (export "room") (param i32) (result i32) (i32.const 1024))
  (func (export "version") (param i32 i32) (result i32) (i32.const 0))
  (func $succeed (param i32 i32) (result i32) (i32.const 64))
  (export "configure" (func $succeed))
  (export "check" (func $succeed)))
